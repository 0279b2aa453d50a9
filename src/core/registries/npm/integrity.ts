/** Base64 digests of SHA-512 in an integrity of npm; an archive must have one of them. */
export function listSha512Digests(integrity: unknown): string[] {
  if (typeof integrity !== 'string') return []
  return integrity
    .split(/\s+/)
    .flatMap((each) => /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(each)?.[1] ?? [])
}
