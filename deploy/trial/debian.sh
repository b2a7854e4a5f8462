# shellcheck shell=bash
# What deploy/trial/fetch-parts and deploy/trial/fetch-kubernetes share: packages of a suite of Debian that this machine does not run.
: "${cache:?a folder for downloads}"
# shellcheck disable=SC2016 # apt-get expands it
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)

# from_debian SUITE PACKAGE FOLDER: the files of a package, without what it depends on.
from_debian() {
  [ ! -e "$3" ] || return 0
  local apt=$cache/apt-$1 newer
  mkdir -p "$apt/lists/partial"
  echo "deb $mirror $1 main" >"$apt/sources.list"
  newer=(-o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$apt/lists"
    -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root)
  apt-get "${newer[@]}" update -qq
  (cd "$apt" && apt-get "${newer[@]}" download -qq "$2" && dpkg-deb -x "$2"_*.deb "$2")
  mv "$apt/$2" "$3"
  rm -rf "$apt"
}
