import { invalidParam, SkillsError } from '../../../errors.ts'
import { GUIDE_NAME } from '../../skills/manifest/fields.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { Services } from '../../services.ts'
import { collectFiles } from './files.ts'
import type { CreateSkillParams, CreateSkillResult } from './definition.ts'

const MAX_VERSION = 128

/** `create_skill`: keeps a skill that came over the wire, whole or not at all. */
export async function createSkill(
  services: Pick<Services, 'repository' | 'config' | 'uploads'>,
  { manifest, skill_md: markdown, files: given = [] }: CreateSkillParams,
): Promise<CreateSkillResult> {
  const { checkDraft, serializeManifest } = await import('./check-manifest.ts')
  rejectLoneSurrogates(manifest, markdown)
  const files = collectFiles(given)
  files.set('skill.toml', Buffer.from(await serializeManifest(manifest)))
  files.set('SKILL.md', Buffer.from(markdown))
  const { name, version } = parseIdentity(manifest)
  await rejectTakenVersion(services, name, version)
  requireEntrypoint(manifest, files)
  const { config, repository } = services
  const uploads = await services.uploads()
  await uploads.add({ name, version, files }, async (draft) => await checkDraft(draft, config))
  await repository.refresh()
  return { name, version }
}

/** Half a surrogate pair has no form in UTF-8: it would be kept as something else. */
function rejectLoneSurrogates(manifest: PlainObject, markdown: string): void {
  const reason = 'it holds half of a surrogate pair'
  if (/\p{Surrogate}/u.test(markdown)) throw invalidParam('skill_md', reason)
  // JSON writes half a pair as its code, and a text that only looks like that with two backslashes.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(manifest)))
    throw invalidParam('manifest', reason)
}

/** The name and version become a path, so their form is checked before anything is written. */
function parseIdentity({ name, version }: PlainObject): CreateSkillResult {
  const isName = typeof name === 'string' && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name)
  if (!isName || name.length > 128) {
    throw invalidParam('manifest.name', 'expected a name such as "user.tools.greet"')
  }
  if (name === GUIDE_NAME) throw invalidParam('manifest.name', `"${name}" belongs to the runtime`)
  const isVersion = typeof version === 'string' && /^\d+\.\d+\.\d+[0-9A-Za-z.+-]*$/.test(version)
  if (!isVersion || version.length > MAX_VERSION) {
    throw invalidParam('manifest.version', 'expected a semantic version such as "0.1.0"')
  }
  return { name, version }
}

/** A name that the operator keeps is not to be taken over by a newer version from elsewhere. */
async function rejectTakenVersion(
  services: Pick<Services, 'repository' | 'uploads'>,
  name: string,
  version: string,
): Promise<void> {
  const entries = (await services.repository.list()).filter((each) => each.name === name)
  if (entries.some((each) => each.version === version)) {
    throw new SkillsError('skill/exists', `skill '${name}' has a version '${version}' already`, {
      hint: 'Raise the version: what is published never changes',
      data: { param: 'manifest.version', reason: 'exists' },
    })
  }
  const uploads = await services.uploads()
  if (entries.every((each) => uploads.has(each.dir))) return
  throw new SkillsError('policy/denied', `The operator keeps '${name}'; take a name of your own`, {
    data: { param: 'manifest.name', reason: 'kept by the operator' },
  })
}

/** Code that the manifest names must come with it. */
function requireEntrypoint(manifest: PlainObject, files: ReadonlyMap<string, Buffer>): void {
  const { runtime } = manifest
  if (typeof runtime !== 'object' || runtime === null || Array.isArray(runtime)) return
  const { entrypoint } = runtime
  if (typeof entrypoint !== 'string' || files.has(entrypoint)) return
  throw invalidParam('files', `the entrypoint "${entrypoint.slice(0, 200)}" is not among them`)
}
