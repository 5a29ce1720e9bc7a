#!/bin/bash
# Starts the inventory service in the background.
python3 server.py &
echo "started"
