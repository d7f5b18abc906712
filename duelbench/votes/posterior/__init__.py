"""The posterior distribution of preferences given votes, and the models of ties."""
