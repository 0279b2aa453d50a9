import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A folder of this machine, and its path in the archive. */
export interface PackedFolder {
  source: string
  target: string
}

/** Packs folders as the first files of a kernel (cpio, newc). All belong to root. */
export function packFiles(folders: readonly PackedFolder[]): Buffer {
  const parts: Buffer[] = []
  const names = new Set<string>()
  const add = (name: string, mode: number, content: Buffer) => {
    names.add(name)
    parts.push(formatEntry(names.size, { name, mode, content }))
  }
  const addParents = (path: string) => {
    const segments = path.split('/').filter((each) => each !== '')
    segments.forEach((_, index) => {
      const name = segments.slice(0, index + 1).join('/')
      if (!names.has(name)) add(name, 0o40755, Buffer.alloc(0))
    })
  }
  const addTree = (source: string, name: string) => {
    const stat = lstatSync(source)
    if (stat.isDirectory()) {
      if (!names.has(name)) add(name, stat.mode, Buffer.alloc(0))
      for (const each of readdirSync(source)) addTree(join(source, each), `${name}/${each}`)
    } else if (stat.isSymbolicLink()) add(name, stat.mode, Buffer.from(readlinkSync(source)))
    else add(name, stat.mode, readFileSync(source))
  }
  for (const { source, target } of folders) {
    addParents(join(target, '..'))
    addTree(source, target.slice(1))
  }
  parts.push(formatEntry(0, { name: 'TRAILER!!!', mode: 0, content: Buffer.alloc(0) }))
  return gzipSync(Buffer.concat(parts), { level: 1 })
}

function formatEntry(
  inode: number,
  { name, mode, content }: { name: string; mode: number; content: Buffer },
): Buffer {
  const path = Buffer.from(`${name}\0`)
  const fields = [inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, path.length, 0]
  const digits = fields.map((each) => each.toString(16).padStart(8, '0')).join('')
  return Buffer.concat([
    alignToWord([Buffer.from(`070701${digits}`), path]),
    alignToWord([content]),
  ])
}

function alignToWord(parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(parts)
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
}
