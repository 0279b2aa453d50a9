import { chmodSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder, writeTree } from '../../../helpers/skills.ts'
import { buildMain, runPython } from '../../runs/run-python.ts'

const SILENT = 'echo "Cannot connect to the engine" >&2; exit 1'
const NOT_SHARED =
  'bind source path does not exist: /var/folders/x/skills-runs-501/be414af4.1-2.run_1/guest'

/** An engine that answers, has every image, and sees no folder of the host. */
const ANSWERS = `case "$1" in
info) echo "27.0 false 0";;
run) echo 'docker: Error response from daemon: ${NOT_SHARED}.' >&2; exit 125;;
esac`

/** Pretends that this process runs on another system for one test. */
function pretendPlatform(value: NodeJS.Platform): void {
  const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
  Object.defineProperty(process, 'platform', { ...own, value })
  onTestFinished(() => void Object.defineProperty(process, 'platform', own))
}

/** Starts a run with these programs as the only engines; resolves with its error. */
async function findError(engines: Readonly<Record<string, string>>): Promise<unknown> {
  const dir = createFolder()
  for (const [name, script] of Object.entries(engines)) {
    writeTree(dir, { [name]: `#!/bin/sh\n${script}\n` })
    chmodSync(join(dir, name), 0o755)
  }
  const env = { PATH: [dir, '/nowhere'].join(delimiter), HOME: dir }
  return await runPython(buildMain('return 1'), { settings: {}, call: { env } }).catch(
    (error: unknown) => error,
  )
}

describe('a run on a host that is not Linux', () => {
  it.each([
    ['darwin', 'neither podman nor docker is installed', 'brew install podman'],
    ['freebsd', 'neither podman nor docker is installed', 'DOCKER_HOST'],
    ['win32', 'runs do not start on Windows itself', 'wsl --install'],
  ] as const)('says on %s what to install', async (platform, detail, command) => {
    pretendPlatform(platform)
    expect(await findError({})).toMatchObject({
      code: 'sandbox/unavailable',
      message: `A container cannot be started: ${detail}`,
      hint: expect.stringContaining(command) as string,
    })
  })

  it.each([
    ['podman', 'Type: podman machine start'],
    ['docker', 'Start Docker Desktop'],
  ])('says how to start %s if it does not answer', async (name, hint) => {
    pretendPlatform('darwin')
    expect(await findError({ [name]: SILENT })).toMatchObject({
      code: 'sandbox/unavailable',
      message: expect.stringContaining(`${name} does not answer`) as string,
      hint,
    })
  })

  it('uses the engine that answers, and says which folder it does not see', async () => {
    pretendPlatform('darwin')
    expect(await findError({ podman: SILENT, docker: ANSWERS })).toMatchObject({
      code: 'sandbox/unavailable',
      message: `The container engine does not see the folder for temporary files, "${realpathSync(tmpdir())}"`,
      hint: expect.stringContaining('TMPDIR') as string,
    })
  })
})
