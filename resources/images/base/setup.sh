#!/bin/sh
# Last step of making the base image, the same whether a Dockerfile or debootstrap made the rest: an ordinary user, no leftovers.
set -eu
id -u user >/dev/null 2>&1 || useradd --create-home --uid 1000 --shell /bin/bash user
rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb /var/cache/apt/*.bin /var/log/*.log /var/log/apt/*
