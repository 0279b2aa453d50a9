import { createHash } from 'node:crypto'
import { constants, createReadStream, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { digestContent } from '../../core/skills/content/content-manifest.ts'
import { readContent } from '../../core/skills/content/read-content.ts'
import { readEntryAt } from '../../core/skills/repository/open-repository.ts'
import { BUNDLE_EXTENSION } from '../../core/signing/envelope/bundle-file.ts'
import type { SignedArtifact } from '../../core/signing/verify/verify-artifact.ts'
import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'

/** A skill or an archive of a command line, and its file of signatures. */
export interface FoundArtifact extends SignedArtifact {
  /** Absolute path of the folder or of the archive. */
  path: string
  /** Absolute path of the file of signatures, which may not exist. */
  bundle: string
}

const MANIFEST_NAMES = ['skill.toml', 'SKILL.md']

/** Reads and hashes the folder of a skill, or an archive. */
export async function readArtifact(context: Context, call: CommandLine): Promise<FoundArtifact> {
  const [reference = ''] = call.args
  const path = resolve(context.cwd, reference)
  const isArchive =
    !MANIFEST_NAMES.includes(basename(path)) &&
    statSync(path, { throwIfNoEntry: false })?.isFile() === true
  const artifact = isArchive
    ? { kind: 'archive' as const, name: undefined, digest: await digestFile(path), files: [], path }
    : await readSkill(await findSkillFolder(context, reference), reference)
  return { ...artifact, bundle: locateBundle(context, call, artifact) }
}

async function readSkill(folder: string, reference: string) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SkillsError('file/not-found', `There is no skill and no archive "${reference}"`, {
      hint: 'Type "skills list --long" to see names and folders',
    })
  }
  const files = await readContent(folder)
  const name = await readReleaseName(folder)
  return { kind: 'folder' as const, name, digest: digestContent(files), files, path: folder }
}

/** `<skill>@<version>`; undefined if the manifest is not valid, as after a change. */
async function readReleaseName(folder: string): Promise<string | undefined> {
  try {
    const { name, version } = await readEntryAt(folder)
    return `${name}@${version}`
  } catch (thrown) {
    if (thrown instanceof SkillsError && thrown.code === 'skill/invalid') return undefined
    throw thrown
  }
}

/** The file of --bundle, or the one next to the artifact; never one within the skill. */
function locateBundle(
  context: Context,
  call: CommandLine,
  { kind, path }: Pick<FoundArtifact, 'kind' | 'path'>,
): string {
  const option = getTextOption(call, 'bundle')
  if (option === undefined) return join(dirname(path), `${basename(path)}${BUNDLE_EXTENSION}`)
  const file = resolve(context.cwd, option)
  if (kind === 'folder' && !relative(path, file).startsWith('..')) {
    throw new SkillsError('usage/invalid', `The signatures "${option}" are inside the skill`, {
      hint: 'Keep them next to it: what is inside is what is signed',
    })
  }
  return file
}

async function digestFile(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(path, { fd: handle })) digest.update(chunk as Buffer)
  return `sha256:${digest.digest('hex')}`
}
