import { gunzipSync, gzipSync } from 'node:zlib'
import type { PackedFile } from '../../../src/core/packing/packed-file.ts'
import { writeTarGz } from '../../../src/core/packing/write/write-tar.ts'

const BLOCK = 512

/** An archive whose last entry is a symbolic link to /etc. */
export async function linkArchive(files: readonly PackedFile[]): Promise<Uint8Array> {
  const link = { path: 'link', bytes: Buffer.alloc(0), isExecutable: false }
  const tar = gunzipSync(await writeTarGz([...files, link]))
  const at = tar.length - 3 * BLOCK
  const header = tar.subarray(at, at + BLOCK)
  header[156] = '2'.charCodeAt(0)
  header.write('/etc', 157, 'latin1')
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return gzipSync(tar)
}
