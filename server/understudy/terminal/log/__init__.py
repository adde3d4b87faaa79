"""A terminal's log on disk: records that only grow, and its folder."""
