# shellcheck shell=bash
# A receiptd for tests and benchmarks, and keys for all scripts. Sourced.

# What the caller has set is for the caller's database.
forget_settings() {
  local name
  while IFS= read -r name; do
    [ "$name" = RECEIPTS_SLOW ] || [ "$name" = RECEIPTS_PG_BIN ] || unset "$name"
  done < <(compgen -e | grep -E '^(PG[A-Z]+|RECEIPTS_[A-Z_]+)$' || true)
}

receiptd_folder=
receiptd_pid=
receiptd_log=
receiptd_command=()

free_ports() {
  python3 -c 'import socket
a, b = (socket.create_server(("127.0.0.1", 0)) for _ in "ab")
print(a.getsockname()[1], b.getsockname()[1])'
}

# Starts a receiptd with an empty database of its own and waits until it is ready. Sets public_url and
# admin_url; `receipts` finds the database by the variable.
start_receiptd() { # FOLDER-OF-PROGRAMS
  local public admin
  read -r public admin < <(free_ports)
  # Under /tmp, as a socket's path is short; open, as the database does not run as root.
  receiptd_folder=$(mktemp -d /tmp/receipts-deploy-XXXXXX) && chmod 755 "$receiptd_folder" || return
  receiptd_log=$receiptd_folder/receiptd.log
  export RECEIPTS_DATA_DIR=$receiptd_folder/data
  receiptd_command=(
    "$1/receiptd" serve --listen "127.0.0.1:$public" --admin-listen "127.0.0.1:$admin")
  # shellcheck disable=SC2034 # For who sources this.
  public_url=http://127.0.0.1:$public admin_url=http://127.0.0.1:$admin
  run_receiptd
}

# Kills it and starts it again, on the same database and addresses.
restart_receiptd() {
  kill -KILL "$receiptd_pid"
  wait "$receiptd_pid" 2> /dev/null || true
  run_receiptd
}

run_receiptd() {
  "${receiptd_command[@]}" < /dev/null > "$receiptd_log" 2>&1 &
  receiptd_pid=$!
  for _ in $(seq 300); do
    if grep -q '^receiptd is ready' "$receiptd_log"; then return; fi
    kill -0 "$receiptd_pid" 2> /dev/null || break
    sleep 0.1
  done
  printf 'receiptd did not get ready:\n'
  tail -n 20 "$receiptd_log"
  return 1
}

stop_receiptd() {
  if [ -n "$receiptd_pid" ]; then
    kill -TERM "$receiptd_pid" 2> /dev/null || true
    wait "$receiptd_pid" 2> /dev/null || true
    receiptd_pid=
  fi
  [ -z "$receiptd_folder" ] || rm -rf -- "$receiptd_folder"
  receiptd_folder=
  unset RECEIPTS_DATA_DIR
}

# Makes a key of a project, and prints it.
new_key() { # FOLDER-OF-PROGRAMS PROJECT [SCOPE]
  "$1/receipts" keys create --project "$2" --scope "${3:-ingest}" --format json \
    | sed -n 's/.*"key" *: *"\([^"]*\)".*/\1/p'
}
