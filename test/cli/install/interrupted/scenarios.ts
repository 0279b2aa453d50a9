import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createTextSkill, prefixPaths } from '../../../helpers/projects.ts'
import { createFolder, writeTree } from '../../../helpers/skills.ts'
import { zipTree } from '../../roots/root-project.ts'
import { runAt } from './interruption.ts'

/** A command that changes the disk, and the state from which it starts. */
export interface Scenario {
  name: string
  /** Commands that prepare the state; `v1` and `v2` set the files of the source. */
  before: readonly string[]
  command: string
  /** Exit status of the command; default: 0. */
  exit?: number
  /** Exit status of the repeated command after a kill at its end; default: that of the command. */
  again?: number
  /** The next command that a user types, whatever happened. */
  next?: string
  config?: string
  /** Exit status of the next command after a kill before the lock was written. */
  recovery?: number
}

const INSTALL = 'install ../source/greet --yes'
const AGENT = '--agent claude-code'

const ROOTS = { config: 'roots = ["../root.zip"]', next: 'list --config skills.config.toml' }

export const SCENARIOS: readonly Scenario[] = [
  { name: 'install', before: [], command: INSTALL, recovery: 3 },
  { name: 'install with a link', before: [], command: `${INSTALL} ${AGENT}` },
  { name: 'install with a copy', before: [], command: `${INSTALL} ${AGENT} --copy` },
  {
    name: 'install of another version with a copy and a link',
    before: [`${INSTALL} ${AGENT} --copy`, 'install --agent roo', 'v2'],
    command: INSTALL,
    recovery: 0,
  },
  {
    name: 'update',
    before: [`${INSTALL} ${AGENT} --copy`, 'v2'],
    command: 'update --yes',
  },
  {
    name: 'remove with a copy and a link',
    before: [`${INSTALL} ${AGENT} --copy`, 'install --agent roo'],
    command: 'remove greet',
    again: 3,
    recovery: 0,
  },
  {
    name: 'a copy that replaces a link',
    before: [`${INSTALL} ${AGENT}`],
    command: `install ${AGENT} --copy`,
    recovery: 0,
  },
  {
    name: 'a link that replaces a copy',
    before: [`${INSTALL} ${AGENT} --copy`],
    command: `install ${AGENT}`,
  },
  { name: 'install without a consent', before: [], command: 'install ../source/greet', exit: 4 },
  {
    name: 'install of another version without a consent',
    before: ['install ../source/greet', 'v2'],
    command: 'install ../source/greet',
    exit: 4,
  },
  {
    name: 'installing a pending skill',
    before: [`install ../source/greet ${AGENT}`],
    command: 'install --pending greet --yes',
    again: 3,
  },
  {
    name: 'remove of a pending skill',
    before: ['install ../source/greet'],
    command: 'remove greet',
    again: 3,
  },
  {
    name: 'restoring two skills',
    before: [INSTALL, 'install ../source/bye --yes', 'lost'],
    command: 'install --frozen',
  },
  {
    name: 'roots fetch',
    before: [],
    command: 'roots fetch --yes --config skills.config.toml',
    ...ROOTS,
  },
  {
    name: 'roots update',
    before: ['roots fetch --yes --config skills.config.toml', 'v2'],
    command: 'roots update --yes --config skills.config.toml',
    ...ROOTS,
  },
  {
    name: 'roots remove',
    before: ['roots fetch --yes --config skills.config.toml'],
    command: 'roots remove ../root.zip --config skills.config.toml',
    again: 3,
    ...ROOTS,
  },
]

/** A base folder in the state before the command, with files of the user at the places of skills. */
export async function createBase({ before, config = '' }: Scenario): Promise<string> {
  const base = createFolder({
    ...prefixPaths('source/bye', createTextSkill('bye', '0.1.0')),
    'project/skills.config.toml': config,
    'project/.agents/skills/mine/SKILL.md': '# Mine\n',
    'project/.claude/skills/own/SKILL.md': '# Own\n',
  })
  mkdirSync(join(base, 'home'))
  await writeSources(base, '0.1.0')
  for (const line of before) {
    if (line === 'v2') await writeSources(base, '0.2.0')
    else if (line === 'lost') rmSync(join(base, 'project/.agents/skills'), { recursive: true })
    else {
      const { code, stderr } = await runAt(base, ...line.split(' '))
      expect([0, 4], stderr).toContain(code)
    }
  }
  return base
}

async function writeSources(base: string, version: string): Promise<void> {
  const greet = createTextSkill('greet', version)
  writeTree(join(base, 'source/greet'), greet)
  writeFileSync(join(base, 'root.zip'), await zipTree(prefixPaths('skills/greet', greet)))
}
