"""Specs: YAML files turned into frozen, validated objects that know the line of every entry."""
