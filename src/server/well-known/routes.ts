import type { Context, Hono } from 'hono'
import type { Repository } from '../../core/skills/repository/repository.ts'
import { SkillsError } from '../../errors.ts'
import { detectMimeType } from '../../util/mime.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireScope } from '../auth/authenticate.ts'
import { rejectOtherMethods } from '../http/other-methods.ts'
import { answerBytes } from './answer-bytes.ts'
import {
  createArchive,
  publishSkill,
  readPublishedFiles,
  assignPublishedNames,
  type PublishedSkill,
} from './publish.ts'
import type { ServerContext } from '../server-context.ts'

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'
/** The current discovery path and the one of older tools. */
const CURRENT_PATH = '/.well-known/agent-skills'
const LEGACY_PATH = '/.well-known/skills'
/** Cache lifetime of the index; building it reads every skill. */
const INDEX_TTL_MS = 3000

/** Publishes the skills for discovery, verification and download by other tools. */
export function addWellKnownRoutes(app: Hono<AppEnv>, context: ServerContext): void {
  const { repository } = context.runtime
  const index = cacheIndex(repository)
  const read = async (c: Context<AppEnv>, make: () => Promise<object>) => {
    requireScope(c.get('caller'), 'read')
    const text = `${JSON.stringify(await make(), null, 2)}\n`
    return answerBytes(c, Buffer.from(text), 'application/json')
  }
  app.get(
    `${CURRENT_PATH}/index.json`,
    async (c) => await read(c, async () => renderCurrentIndex(await index())),
  )
  app.get(
    `${LEGACY_PATH}/index.json`,
    async (c) => await read(c, async () => renderLegacyIndex(await index())),
  )
  for (const base of [CURRENT_PATH, LEGACY_PATH]) {
    app.get(`${base}/:path{.+}`, async (c) => {
      requireScope(c.get('caller'), 'read')
      return await sendPublished(c, repository, c.req.param('path'))
    })
    rejectOtherMethods(app, context, { [`${base}/:path{.+}`]: ['GET', 'HEAD'] })
  }
}

/** Sends an archive, `<name>.tar.gz`, or a file of a skill, `<name>/<path>`. */
async function sendPublished(
  c: Context<AppEnv>,
  repository: Repository,
  path: string,
): Promise<Response> {
  const archive = /^([a-z0-9-]+)\.tar\.gz$/.exec(path)?.[1]
  const [, folder = '', inner = ''] = /^([a-z0-9-]+)\/(.+)$/.exec(path) ?? []
  const name = archive ?? folder
  const entry = assignPublishedNames(await repository.list()).get(name)
  const files = entry && (await readPublishedFiles(repository, name, entry))
  if (!files) throw notPublishedError(path)
  if (archive !== undefined) return answerBytes(c, await createArchive(files), 'application/gzip')
  const file = files.find((each) => each.path === inner)
  if (!file) throw notPublishedError(path)
  return answerBytes(c, file.bytes, detectMimeType(inner, file.bytes))
}

function renderCurrentIndex(skills: readonly PublishedSkill[]): object {
  return {
    $schema: SCHEMA,
    skills: skills.map(({ name, type, description, digest }) => {
      const url = `${CURRENT_PATH}/${name}${type === 'archive' ? '.tar.gz' : '/SKILL.md'}`
      return { name, type, description, url, digest }
    }),
  }
}

function renderLegacyIndex(skills: readonly PublishedSkill[]): object {
  return {
    skills: skills.map(({ name, description, paths }) => ({ name, description, files: paths })),
  }
}

/** Shares one index between requests within `INDEX_TTL_MS`. */
function cacheIndex(repository: Repository): () => Promise<readonly PublishedSkill[]> {
  let cached: Promise<readonly PublishedSkill[]> | undefined
  let madeAt = -Infinity
  return async () => {
    if (!cached || performance.now() - madeAt > INDEX_TTL_MS) {
      cached = buildIndex(repository)
      cached.then(
        () => (madeAt = performance.now()),
        () => (cached = undefined),
      )
      madeAt = Infinity
    }
    return await cached
  }
}

async function buildIndex(repository: Repository): Promise<readonly PublishedSkill[]> {
  const published: PublishedSkill[] = []
  for (const [name, entry] of assignPublishedNames(await repository.list())) {
    const skill = await publishSkill(repository, name, entry)
    if (skill) published.push(skill)
  }
  return published.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function notPublishedError(path: string): SkillsError {
  return new SkillsError('http/not-found', `There is no published file "${path.slice(0, 200)}"`)
}
