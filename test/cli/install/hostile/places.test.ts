// @module-tag slow
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTextSkill, prefixPaths } from '../../../helpers/projects.ts'
import { createFolder, writeTree } from '../../../helpers/skills.ts'
import { answerYes } from './answer-yes.ts'
import {
  createHostileProject,
  listProjectFiles,
  testAttacks,
  type HostileProject,
  type InstallAttack,
} from './attack.ts'

const WORK = '.agents/.skills-install'
const writeSource = (cwd: string, version?: string) =>
  writeTree(cwd, prefixPaths('greet', createTextSkill('greet', version)))

/** A repository with something at the place of a skill, or of its folders. */
function planted(
  name: string,
  says: string,
  { path, plant, line = 'install ./greet --yes' }: PlantedPlace,
): InstallAttack {
  return {
    name,
    says,
    prepare({ cwd }, isHostile) {
      writeSource(cwd)
      mkdirSync(join(cwd, path, '..'), { recursive: true })
      if (isHostile) plant(join(cwd, path))
      return line
    },
  }
}

interface PlantedPlace {
  path: string
  plant: (path: string) => void
  line?: string
}

const link = (path: string) => symlinkSync(createFolder({ 'greet/mine.txt': 'mine' }), path)
const dangling = (path: string) => symlinkSync('absent', path)
const file = (path: string) => writeFileSync(path, 'mine')
const folder = (path: string) => writeTree(path, { 'mine.txt': 'mine' })
const AGENT = 'install ./greet --yes --agent claude-code'

const PLACES: readonly InstallAttack[] = [
  planted('a link at .agents', 'is a link or a file', { path: '.agents', plant: link }),
  planted('a broken link at .agents', 'is a link or a file', { path: '.agents', plant: dangling }),
  planted('a file at .agents', 'is a link or a file', { path: '.agents', plant: file }),
  planted('a link at .agents/skills', 'is a link or a file', {
    path: '.agents/skills',
    plant: link,
  }),
  planted('a file at .agents/skills', 'is a link or a file', {
    path: '.agents/skills',
    plant: file,
  }),
  planted('a link at the folder of installations', 'is a link or a file', {
    path: WORK,
    plant: link,
  }),
  planted('a link at the folder of drafts', 'is a link or a file', {
    path: `${WORK}/staged`,
    plant: link,
  }),
  planted('a link at the folder of journals', 'is a link or a file', {
    path: `${WORK}/swaps`,
    plant: link,
  }),
  planted('a link at the skill', 'is not in skills.lock', {
    path: '.agents/skills/greet',
    plant: link,
  }),
  planted('a broken link at the skill', 'is not in skills.lock', {
    path: '.agents/skills/greet',
    plant: dangling,
  }),
  planted('a file at the skill', 'is not in skills.lock', {
    path: '.agents/skills/greet',
    plant: file,
  }),
  planted('a folder of the user at the skill', 'is not in skills.lock', {
    path: '.agents/skills/greet',
    plant: folder,
  }),
  planted('a link at the folder of an agent', 'through links', {
    path: '.claude',
    plant: link,
    line: AGENT,
  }),
  planted('a link at the skills of an agent', 'through links', {
    path: '.claude/skills',
    plant: link,
    line: AGENT,
  }),
  planted('a broken link at the skills of an agent', 'through links', {
    path: '.claude/skills',
    plant: dangling,
    line: AGENT,
  }),
  planted('a file at the skills of an agent', 'through links', {
    path: '.claude/skills',
    plant: file,
    line: AGENT,
  }),
  planted('a link at the skill of an agent', 'is not what was installed', {
    path: '.claude/skills/greet',
    plant: link,
    line: AGENT,
  }),
  planted('a folder of the user at the skill of an agent', 'is not what was installed', {
    path: '.claude/skills/greet',
    plant: folder,
    line: `${AGENT} --copy`,
  }),
  planted('a lock that is a folder', 'it is not a file', { path: 'skills.lock', plant: folder }),
]

/** A change of the installed skill before it is updated or removed. */
function edited(name: string, line: string, change: (skill: string) => void): InstallAttack {
  return {
    name,
    says: 'were changed after the installation',
    control: line,
    async prepare({ cwd, succeed }, isHostile) {
      writeSource(cwd)
      await succeed('install ./greet --yes')
      writeSource(cwd, '0.2.0')
      if (isHostile) change(join(cwd, '.agents/skills/greet'))
      return line
    },
  }
}

const replaceByLink = (skill: string) => {
  renameSync(skill, join(dirname(skill), 'moved'))
  symlinkSync('moved', skill)
}
const addNotes = (skill: string) => writeFileSync(join(skill, 'notes.md'), 'mine')

const EDITS: readonly InstallAttack[] = [
  edited('files, by an update', 'update --yes', addNotes),
  edited('files, by an installation', 'install ./greet --yes', addNotes),
  edited('files, by a removal', 'remove greet', addNotes),
  edited('a link in its place, by an update', 'update --yes', replaceByLink),
  edited('a link in its place, by a removal', 'remove greet', replaceByLink),
]

describe('a repository with', () => {
  testAttacks(PLACES)
})

describe('a loss of', () => {
  testAttacks(EDITS)
})

describe('a repository that planted', () => {
  async function install(plant: (work: string, outside: string) => void) {
    const project = createHostileProject()
    const outside = createFolder({ '.bashrc': 'mine', 'old/SKILL.md': 'mine' })
    const work = join(project.cwd, WORK)
    mkdirSync(join(work, 'swaps'), { recursive: true })
    plant(work, outside)
    writeSource(project.cwd)
    await project.succeed('install ./greet --yes')
    await project.succeed('verify')
    expect(readFileSync(join(outside, '.bashrc'), 'utf8')).toBe('mine')
    expect(readFileSync(join(outside, 'old/SKILL.md'), 'utf8')).toBe('mine')
    return { ...project, work }
  }

  it('a link in place of a file of the folder of installations does not lead to other files', async () => {
    const { work } = await install((at, outside) =>
      symlinkSync(join(outside, '.bashrc'), join(at, '.gitignore')),
    )
    // The control: a program that writes to the path changes the file of the user.
    writeFileSync(join(work, '.gitignore'), '*\n')
    expect(readFileSync(join(work, '.gitignore'), 'utf8')).toBe('*\n')
  })

  it('a link in place of a journal moves no files', async () => {
    const { work, cwd } = await install((at, outside) => {
      symlinkSync(outside, join(at, 'swaps/evil'))
      writeTree(at, { '../skills/evil/SKILL.md': '# Evil' })
    })
    expect(readdirSync(join(work, 'swaps'))).toEqual([])
    expect(readFileSync(join(cwd, '.agents/skills/evil/SKILL.md'), 'utf8')).toBe('# Evil')
  })

  it('a journal removes no skill that it does not know', async () => {
    const mine = 'project skill'
    const { cwd } = await install((at) => {
      writeTree(at, { 'swaps/mine/new': '', '../skills/mine/SKILL.md': mine })
    })
    expect(readFileSync(join(cwd, '.agents/skills/mine/SKILL.md'), 'utf8')).toBe(mine)
  })
})

/** A change while the user reads the question; without it, the skill is installed. */
interface PromptRace {
  name: string
  says: string
  /** Commands before the one that asks; `v2` changes the source. */
  before?: readonly string[]
  line?: string
  change(project: HostileProject): Promise<void> | void
}

const RACES: readonly PromptRace[] = [
  {
    name: 'the folder of skills becomes a link',
    says: 'is a link or a file',
    change({ cwd }) {
      rmSync(join(cwd, '.agents/skills'), { recursive: true })
      link(join(cwd, '.agents/skills'))
    },
  },
  {
    name: 'the folder of agents becomes a link',
    says: 'is a link or a file',
    change({ cwd }) {
      renameSync(join(cwd, '.agents'), join(cwd, 'moved'))
      symlinkSync('moved', join(cwd, '.agents'))
    },
  },
  {
    name: 'the place of the skill becomes a link',
    says: 'is not in skills.lock',
    change: ({ cwd }) => link(join(cwd, '.agents/skills/greet')),
  },
  {
    name: 'the place of an installed skill becomes a link',
    says: 'were changed after the installation',
    before: ['install ./greet --yes', 'v2'],
    change({ cwd }) {
      rmSync(join(cwd, '.agents/skills/greet'), { recursive: true })
      link(join(cwd, '.agents/skills/greet'))
    },
  },
  {
    name: 'the installed files are edited',
    says: 'were changed after the installation',
    before: ['install ./greet --yes', 'v2'],
    change: ({ cwd }) => addNotes(join(cwd, '.agents/skills/greet')),
  },
  {
    name: 'the files of the question change',
    says: 'changed while they were installed',
    change({ cwd }) {
      const staged = join(cwd, WORK, 'staged')
      const [draft = ''] = readdirSync(staged)
      writeFileSync(join(staged, draft, 'greet/SKILL.md'), 'evil')
    },
  },
  {
    name: 'the folder of an agent becomes a link',
    says: 'through links',
    line: 'install ./greet --agent claude-code',
    change({ cwd }) {
      link(join(cwd, '.claude'))
    },
  },
  {
    name: 'a skill of the same name is installed',
    says: 'another source',
    async change({ cwd, succeed }) {
      writeTree(cwd, prefixPaths('other/greet', createTextSkill('greet')))
      await succeed('install ./other/greet --yes')
    },
  },
]

describe('while the question is shown', () => {
  const prepare = async ({ before = [] }: PromptRace) => {
    const project = createHostileProject()
    writeSource(project.cwd)
    for (const line of before) {
      if (line === 'v2') writeSource(project.cwd, '0.2.0')
      else await project.succeed(line)
    }
    return project
  }

  it.each(RACES)('nothing is installed after $name', async (race) => {
    const project = await prepare(race)
    let before: string[] = []
    const { code, text } = await answerYes(project, race.line, async () => {
      await race.change(project)
      before = listProjectFiles(project)
    })
    expect(text).toContain(race.says)
    expect(code).toBeGreaterThan(0)
    expect(listProjectFiles(project)).toEqual(before)
  })

  it.each(RACES)('the skill is installed without the change: $name', async (race) => {
    const project = await prepare(race)
    const { code, text } = await answerYes(project, race.line, () => {})
    expect([code, code === 0 ? '' : text]).toEqual([0, ''])
  })
})
