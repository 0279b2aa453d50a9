import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allocateRunUid } from '../sandbox/guest-host/run-uid.ts'
import { removeStagingFolder } from '../sandbox/rootfs/remove-staging-folder.ts'
import { copySkill } from '../sandbox/rootfs/stage-files.ts'
import type { BaitFile } from './bait/home-files.ts'
import { SKILLS_FOLDER } from './subjects/subject.ts'

const HOOKS = fileURLToPath(new URL('./hooks/', import.meta.url))
const HOOK_FILES = [
  'sitecustomize.py',
  'runtime.py',
  'preload.cjs',
  'packages.py',
  'packages.cjs',
  'packages.mjs',
  'start.sh',
  'stand-in.sh',
  'stand-in.py',
]
/** Programs whose starts are reported, or that a sandbox does not have. */
const STAND_INS = `
  at aws base64 bash crontab curl date dig docker gh git gpg gzip host hostname kubectl
  launchctl loginctl nc ncat netcat node nohup npm npx nslookup openssl osascript perl
  ping pip pip3 python python3 rsync ruby scp sftp sh sleep socat ssh sudo systemctl tar
  telnet uname wget whoami xxd zip
`
  .trim()
  .split(/\s+/)
/** Access times of the bait before a trial; the first read changes them. */
const UNREAD_S = 1_000_000_000

/** Folders of one run of trials, on the host. */
export class TrialFolders {
  readonly root: string
  /** Read-only for code: what is loaded before it, and stand-ins for programs. */
  readonly hooks: string
  readonly #skill: string
  readonly #name: string
  #count = 0

  /** `words` are names of programs that the skill may start, for trials that have them all. */
  constructor(skillDir: string, name: string, words: readonly string[]) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'skills-trials-')))
    this.#name = name
    this.#skill = copySkill(skillDir, join(this.root, 'skill'))
    this.hooks = join(this.root, 'hooks')
    mkdirSync(join(this.hooks, 'bin'), { recursive: true })
    for (const file of HOOK_FILES) {
      copyFileSync(join(HOOKS, file), join(this.hooks, file))
      chmodSync(join(this.hooks, file), 0o755)
    }
    for (const each of STAND_INS) symlinkSync('../stand-in.sh', join(this.hooks, 'bin', each))
    mkdirSync(join(this.hooks, 'programs'))
    for (const each of words) symlinkSync('../stand-in.sh', join(this.hooks, 'programs', each))
    for (const each of ['', 'bin', 'programs']) chmodSync(join(this.hooks, each), 0o755)
    chmodSync(this.root, 0o755)
  }

  /** Creates the folders of one trial, with bait. */
  create(files: readonly BaitFile[]): TrialFolder {
    const folder = join(this.root, `trial-${(this.#count += 1)}`)
    const [home, log] = [join(folder, 'home'), join(folder, 'log')]
    const skill = join(home, SKILLS_FOLDER, this.#name)
    mkdirSync(skill, { recursive: true })
    mkdirSync(log)
    cpSync(this.#skill, skill, { recursive: true, verbatimSymlinks: true })
    makeWritable(skill)
    for (const { path, content, isSecret } of files) {
      const file = join(home, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content, { mode: isSecret ? 0o600 : 0o644 })
      utimesSync(file, UNREAD_S, UNREAD_S + 1)
    }
    writeFileSync(join(log, 'events'), '')
    if (process.getuid?.() === 0) giveAway(folder, allocateRunUid())
    return {
      home,
      log: join(log, 'events'),
      logFolder: log,
      remove: () => removeStagingFolder(folder),
    }
  }

  remove(): void {
    removeStagingFolder(this.root)
  }
}

/** Folders of one trial, on the host. */
export interface TrialFolder {
  home: string
  /** File to which the hooks write. */
  log: string
  logFolder: string
  remove(): void
}

/** Time of the first read of a bait file; undefined if it was not read. */
export function readAccessTime(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.atimeMs <= (UNREAD_S + 1) * 1000) return undefined
  return stat.atimeMs
}

/** A skill is copied read-only; an installed one belongs to its user. */
function makeWritable(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return
  chmodSync(path, stat.mode | 0o200)
  if (stat.isDirectory()) for (const name of readdirSync(path)) makeWritable(join(path, name))
}

/** Gives entries to the user of a run. Nothing has run in the folder yet. */
function giveAway(path: string, user: number): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return
  chownSync(path, user, user)
  if (stat.isDirectory()) for (const name of readdirSync(path)) giveAway(join(path, name), user)
}
