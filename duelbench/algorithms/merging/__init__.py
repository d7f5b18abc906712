"""Arms in small batches, which are merged as arms are eliminated: MergeRUCB and MergeDTS."""
