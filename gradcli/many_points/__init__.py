"""Derivatives and checks at many points of a file: streamed, computed by several processes, resumed, summarised."""
