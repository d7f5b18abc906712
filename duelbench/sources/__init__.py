"""Sources of preference matrices: tables, files, generators, downloads, submatrices, judged documents, orders."""
