"""Where preference matrices come from: tables, files, generators, downloads, submatrices, judged documents, orders."""
