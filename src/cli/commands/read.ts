import { once } from 'node:events'
import { join } from 'node:path'
import type { SkillEntry, SkillFileContent } from '../../core/skills/repository/repository.ts'
import { SkillsError, toSkillsError, type ErrorCode } from '../../errors.ts'
import { findNearestFile } from '../../util/find-nearest-file.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { SkillPort } from '../../runtime-handle/handle.ts'
import { openHandle } from '../access/open-handle.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkill } from '../find-skill.ts'
import { isRisky } from '../ui/is-risky.ts'

export const command: CommandDefinition = {
  summary: 'Print a file of a skill',
  details: ['Print a file of a skill.', '', 'The content is printed byte for byte.'].join('\n'),
  arguments: [
    { syntax: '<skill>', description: 'Name, name@version, or folder of a skill' },
    {
      syntax: '[path]',
      description: 'Path in the skill (default: SKILL.md)',
      completes: 'skill-files',
    },
  ],
  options: REMOTE_OPTIONS,
  examples: [
    {
      command: 'skills read skills.protocol.guide SKILL.md',
      explains: 'Print the guide for agents',
    },
    {
      command: 'skills read demo.greet@0.1.0 skill.toml --json',
      explains: 'Print a file of one version with its size and type',
    },
    {
      command: 'skills read demo.greet SKILL.md --url http://127.0.0.1:8080',
      explains: 'Print a file of a remote skill',
      notRun: 'it needs a running server',
    },
  ],
  async run(context, call) {
    const [skill = '', path = 'SKILL.md'] = call.args
    const { skills } = await openHandle(context, call, { takesReferences: true })
    const entry = await findSkill(skills, skill)
    const file = await readSkillFile(skills, { entry, skill, path })
    const bytes = Buffer.from(file.bytes)
    const text = decodeUtf8(bytes)
    if (context.global.json) {
      context.document('skills.file/v1', {
        skill: { name: entry.name, version: entry.version },
        path: file.path,
        kind: file.kind,
        size_bytes: bytes.length,
        ...(text === undefined
          ? { encoding: 'base64', content: bytes.toString('base64') }
          : { content: text }),
      })
      return 0
    }
    if (context.stdout.isTTY === true && isRisky(text)) {
      throw new SkillsError(
        'usage/invalid',
        `"${path}" is not plain text and could change the state of the terminal`,
        {
          hint: `Write it to a file: skills read ${skill} ${path} > file`,
        },
      )
    }
    await writeBytes(context, bytes)
    return 0
  },
}

/** Reads the file; an error lists the files that can be read. */
async function readSkillFile(
  skills: SkillPort,
  { entry, skill, path }: { entry: SkillEntry; skill: string; path: string },
): Promise<SkillFileContent> {
  try {
    return await skills.read(entry, path)
  } catch (thrown) {
    const error = toSkillsError(thrown)
    if (error.hint !== undefined || !error.code.startsWith('file/')) throw thrown
    const { files, dir } = await skills.describe(entry)
    const { code, message, data, cause } = error
    const hint = buildReadHint(code, { skill, path, dir, files: files.map((file) => file.path) })
    throw new SkillsError(code, message, { hint, data, cause })
  }
}

function buildReadHint(
  code: ErrorCode,
  request: { skill: string; path: string; dir: string | undefined; files: readonly string[] },
): string {
  if (code === 'file/too-large') {
    return request.dir === undefined
      ? 'Read it on the machine of the server'
      : `Read it at its path: ${quoteShellWord(join(request.dir, request.path))}`
  }
  const inFolder = request.files.find((file) => file.startsWith(`${request.path}/`))
  const suggestion = inFolder ?? findNearestFile(request.path, request.files)
  return suggestion === undefined
    ? `Type "skills describe ${quoteShellWord(request.skill)}" to see its files`
    : `Did you mean "skills read ${quoteShellWord(request.skill)} ${quoteShellWord(suggestion)}"?`
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function writeBytes(context: Context, bytes: Buffer): Promise<void> {
  if (!context.stdout.write(bytes)) await once(context.stdout, 'drain')
}
