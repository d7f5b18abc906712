"""An experiment on disk: its files, who writes them and who reads them."""
