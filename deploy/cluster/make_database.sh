#!/bin/sh
# Makes the notary's role and database. Patroni runs it once, when the cluster is new, with the address of the primary.
set -eu
psql "$1" --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set password="$NOTARY_PASSWORD" <<'SQL'
CREATE ROLE touchstone LOGIN PASSWORD :'password';
CREATE DATABASE touchstone OWNER touchstone;
SQL
