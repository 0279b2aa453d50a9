/** A file of an archive. */
export interface ArchivedFile {
  path: string
  bytes: Uint8Array
}

const BLOCK = 512

/** Creates a reproducible tar archive of regular files: equal files give equal bytes. */
export function createTar(files: readonly ArchivedFile[]): Buffer {
  const blocks = files.flatMap(({ path, bytes }) => {
    const needsPax = Buffer.byteLength(path) > 100 || !/^[ -~]*$/.test(path)
    return [...(needsPax ? createPaxEntry(path) : []), ...createTarEntry(path, bytes, '0')]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** Stores a path that the following header cannot hold. */
function createPaxEntry(path: string): Buffer[] {
  const rest = ` path=${path}\n`
  let length = Buffer.byteLength(rest) + 1
  // The length includes its own digits.
  while (Buffer.byteLength(`${length}${rest}`) !== length) length += 1
  return createTarEntry('PaxHeader', Buffer.from(`${length}${rest}`), 'x')
}

function createTarEntry(path: string, bytes: Uint8Array, type: '0' | 'x'): Buffer[] {
  const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)
  return [createTarHeader(path, bytes.length, type), Buffer.from(bytes), padding]
}

// eslint-disable-next-line max-params -- the three fields of a header
function createTarHeader(path: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  // Truncated if too long or not ASCII; the PAX header before it has the full path.
  block.write(path.replace(/[^ -~]/g, '_').slice(0, 100), 0, 'latin1')
  block.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1')
  block.write(`${octal(size, 11)}\0${octal(0, 11)}\0        ${type}`, 124, 'latin1')
  block.write('ustar\x0000', 257, 'latin1')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1')
  return block
}
