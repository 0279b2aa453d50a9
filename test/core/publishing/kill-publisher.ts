import { buildRelease } from '../../../src/core/publishing/build-release.ts'
import { openSiteTarget } from '../../../src/core/publishing/targets/site/site-target.ts'

/** Publishes a folder to a site; the process is killed after this number of written files. */
const [folder = '', site = '', count = ''] = process.argv.slice(2)
const target = openSiteTarget({ folder: site, label: 'site:', name: 'acme', baseUrl: undefined })
const limits = { formats: target.formats, maxFiles: 100, maxBytes: 1024 ** 2 }
const { release } = await buildRelease(folder, limits)
let left = Number(count)
const onWritten = (): void => {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}
await target.write(release, { signal: new AbortController().signal, timeoutMs: 60_000, onWritten })
