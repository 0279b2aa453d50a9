import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PlainObject } from '../../../../src/core/skills/manifest/manifest.ts'
import { writeTree } from '../../../helpers/skills.ts'
import { CANARY, isRoot } from './start-worker.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/**
 * The host from an attacker's view: files, ports, sockets and kernel objects that a run must not
 * reach.
 */
export interface Host {
  dir: string
  facts: PlainObject
  close(): Promise<void>
}

/** Creates all of them. */
export async function openHost(): Promise<Host> {
  const dir = mkdtempSync('/tmp/skills-abuse-')
  for (const each of ['', 'host']) {
    writeTree(dir, { [join(each, 'file.txt')]: 'of the host' })
    chmodSync(join(dir, each), 0o777)
  }
  writeTree(dir, {
    'host/other/SKILL.md': 'another skill',
    'host/blob': 'a blob',
    'host/guest/harness.py': '',
    'host/home-x/skill.toml': '',
    'host/outside/skill/code': '',
  })
  rmSync(join(dir, 'host/outside/skill/code'))
  copyFileSync(here('kit.py'), join(dir, 'host/outside/skill/main.py'))
  // Runs mount /usr, in which only root can create files.
  const mounted = isRoot ? mkdtempSync('/usr/local/share/skills-abuse-') : ''
  if (isRoot) chmodSync(mounted, 0o755)
  const neighbourArgs = ['-I', here('neighbour.py'), join(dir, 'host'), mounted]
  const neighbour = spawn('/usr/bin/python3', neighbourArgs, {
    env: { PATH: '/usr/bin:/bin', SKILLS_CANARY: CANARY },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const known = JSON.parse(await firstLine(neighbour)) as PlainObject
  return {
    dir,
    facts: {
      ...known,
      HOST_FILE: join(dir, 'host/file.txt'),
      HOST_DIR: join(dir, 'host'),
      HOST_MOUNTED: mounted,
      HOST_ADDRESS: ownAddress(),
      CANARY,
      KERNEL_COMMAND: readFileSync('/proc/cmdline', 'utf8').trim(),
      BOOT_ID: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    },
    close: async () => {
      neighbour.stdin?.end()
      await once(neighbour, 'exit')
      for (const each of isRoot ? [dir, mounted] : [dir])
        rmSync(each, { recursive: true, force: true })
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk)
    if (output.includes('\n')) break
  }
  return output
}

function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const own = all.find(({ internal, family }) => !internal && family === 'IPv4')
  return own?.address ?? '127.0.0.1'
}
