#!/usr/bin/env bash
# Runs sbt. An sbt on the PATH is used as it is; otherwise the launcher jar is fetched once through Maven
# (a registry that every build machine reaches) and checked against a pinned SHA-256.
set -euo pipefail

version=1.11.7
sha256=f92a2095ac75008764fe3b2b793ffe624c4fbef5bfd9b0022e4bc2daf668c651
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

installed=$(type -ap sbt | grep -vxF "$here/sbt" | head -n 1 || true)
if [ -n "$installed" ]; then
  cd "$here"
  exec "$installed" "$@"
fi

cache="${XDG_CACHE_HOME:-$HOME/.cache}/spark-eventhubs"
jar="$cache/sbt-launch-$version.jar"
matches() { echo "$sha256  $1" | sha256sum --check --status; }

if [ ! -f "$jar" ] || ! matches "$jar"; then
  mkdir -p "$cache"
  fetched=$(mktemp -d "$cache/fetch.XXXXXX")
  trap 'rm -rf "$fetched"' EXIT
  echo "sbt $version: fetching the launcher through Maven (once)" >&2
  mvn --quiet --batch-mode dependency:copy -Dartifact="org.scala-sbt:sbt-launch:$version" -DoutputDirectory="$fetched" >&2
  if ! matches "$fetched/sbt-launch-$version.jar"; then
    echo "sbt: the SHA-256 of sbt-launch-$version.jar is not the pinned one; nothing was run" >&2
    exit 1
  fi
  mv "$fetched/sbt-launch-$version.jar" "$jar"
  rm -rf "$fetched"
  trap - EXIT
fi

cd "$here"
# shellcheck disable=SC2086 -- SBT_JAVA_OPTS is a list of words by design
exec java -Xss4m -Xmx3g -XX:+UseParallelGC -Dfile.encoding=UTF-8 -Dsbt.script="$here/sbt" ${SBT_JAVA_OPTS:-} -jar "$jar" "$@"
