"""The compatibility matrix: versions, requests, verify and refresh."""
