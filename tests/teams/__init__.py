"""A platform team's story: docs/teams.md, from an empty folder to projects that follow."""
