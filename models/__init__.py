"""What runs where and how fast: language models, chips, servers, memory, speed, serving, cost, verdict."""
