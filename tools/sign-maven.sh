#!/usr/bin/env bash
# Makes a bundle for Maven Central of a repository's layout: sign-maven.sh FOLDER BUNDLE.zip. PASSPHRASE is that of gpg's key.
set -euo pipefail
folder=$1
bundle=$(realpath --canonicalize-missing "$2")
cd "$folder"
find . -type f | sort | while read -r file; do
  gpg --batch --yes --pinentry-mode loopback --passphrase-fd 3 --armor --detach-sign "$file" 3<<< "${PASSPHRASE:-}"
  md5sum "$file" | cut -d ' ' -f 1 > "$file.md5"
  sha1sum "$file" | cut -d ' ' -f 1 > "$file.sha1"
done
rm -f "$bundle"
jar --create --no-manifest --file "$bundle" .
