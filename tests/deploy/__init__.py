"""What children bring for where they run: manifests, orchestrators' files, the bot."""
