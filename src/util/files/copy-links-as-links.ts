import { cpSync, lstatSync } from 'node:fs'

/** Copies files, folders and links; links keep their targets. Sockets and pipes are left out. */
export function copyLinksAsLinks(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isCopied })
}

function isCopied(path: string): boolean {
  const stat = lstatSync(path)
  return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()
}
