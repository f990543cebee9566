"""What `EventHubsConf` is made of. Users need none of it."""
