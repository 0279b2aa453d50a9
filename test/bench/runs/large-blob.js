// Measures the host memory for 2 GiB that one skill writes and another reads. Runs in a process of
// its own, whose memory is measured: `node large-blob.js`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const LIMIT_MIB = 150
const SIZE = 2 * 1024 ** 3

const WRITE = `from runtime import blobs

def main(args):
    piece = bytes(range(256)) * 4096
    with blobs.open(mode="wb") as blob:
        for _ in range(args["size"] // len(piece)):
            blob.write(piece)
    return blob.blob_id
`

const READ = `from runtime import blobs

def main(args):
    size = 0
    with blobs.open(args["blob"]) as blob:
        while piece := blob.read(1 << 20):
            size += len(piece)
    return size
`

export function measureLargeBlob() {
  const self = fileURLToPath(import.meta.url)
  const done = spawnSync(process.execPath, [self, 'measure'], { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`The large blob ended with ${done.status}: ${done.stderr}`)
  return { arm: 'memory of a blob of 2 GiB', unit: 'MiB', ...JSON.parse(done.stdout) }
}

async function measure() {
  const { openRuntime } = await import('./library.js')
  const run = await openRuntime()
  const written = await run(WRITE, { args: { size: SIZE } })
  const [blob] = written.output_blobs
  if (!blob) throw new Error(JSON.stringify(written.error))
  const read = await run(READ, { args: { blob }, input_blobs: [blob] })
  if (read.output !== SIZE) throw new Error(JSON.stringify(read))
  const max = Math.round(process.resourceUsage().maxRSS / 1024)
  const seconds = [written, read].map(({ duration_ms: ms }) => ms / 1000)
  console.log(JSON.stringify({ max, limit: LIMIT_MIB, seconds }))
}

if (process.argv[2] === 'measure') await measure()
