/** True for the extensions of archives that are read. */
export function isArchiveName(path: string): boolean {
  return /\.(?:tar\.gz|tgz|tar|zip|skill)$/i.test(path)
}
