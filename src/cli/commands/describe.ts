import type { Manifest } from '../../core/manifest/manifest.ts'
import type { Repository, SkillEntry } from '../../core/repository/repository.ts'
import { flagOption, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillOrFolder } from '../find-skill.ts'
import { permissionSentences } from '../ui/permission-sentences.ts'

export const command: CommandDefinition = {
  summary: 'Show what a skill does and what it may do',
  details:
    'Show a skill: its manifest, inputs, permissions, documentation and files. A folder works as well.',
  arguments: [{ syntax: '<skill>', description: 'Name, name@version, or the folder of a skill' }],
  options: [{ flags: '--full', description: 'Show all of the documentation and every file' }],
  examples: [
    { command: 'skills describe demo.greet', explains: 'The newest version of a skill' },
    {
      command: 'skills describe demo.greet@0.1.0 --full',
      explains: 'One version, with everything',
    },
    { command: 'skills describe ./skills/greet', explains: 'A skill that is being written' },
    { command: 'skills describe demo.greet --json', explains: 'The same for a program' },
  ],
  async run(context, call) {
    const { repository, entry } = await findSkillOrFolder(context, call.args[0] ?? '')
    const full = flagOption(call, 'full')
    const description = await gather(repository, entry)
    if (context.global.json) context.document('skills.skill/v1', toRecord(description, full))
    else await show(context, description, full)
    return 0
  },
}

/** All that is said of a skill. */
export interface Description {
  entry: SkillEntry
  manifest: Manifest
  versions: readonly string[]
  files: readonly { path: string; size: number }[]
  /** SKILL.md as it is; undefined where there is none. */
  markdown: string | undefined
}

async function gather(repository: Repository, entry: SkillEntry): Promise<Description> {
  const files = await repository.files(entry)
  const hasMarkdown = files.some((file) => file.path === 'SKILL.md')
  const markdown = hasMarkdown
    ? new TextDecoder().decode((await repository.read(entry, 'SKILL.md')).bytes)
    : undefined
  return {
    entry,
    manifest: await repository.manifest(entry),
    versions: await repository.versions(entry.name),
    files,
    markdown,
  }
}

function toRecord({ entry, manifest, versions, files, markdown }: Description, full: boolean) {
  const { toml, frontMatter, ...known } = manifest
  return {
    skill: {
      ...known,
      mayDo: permissionSentences(manifest),
      dir: entry.dir,
      root: entry.root,
      versions,
      manifest: toml,
      skillMdFrontmatter: frontMatter,
      files,
      ...(full ? { skillMd: markdown ?? null } : {}),
    },
  }
}

async function show(context: Context, description: Description, full: boolean): Promise<void> {
  const { renderDescription } = await import('../ui/description.ts')
  const columns = context.stdout.isTTY === true ? context.columns : Math.max(40, context.columns)
  const wrapsCode = context.stdout.columns !== undefined || Boolean(context.env['COLUMNS'])
  const page = { columns, wrapsCode, style: context.style }
  context.print(await renderDescription(description, { page, full }))
}
