import type { Context, Hono } from 'hono'
import type { Repository } from '../../core/skills/repository/repository.ts'
import { SkillsError } from '../../errors.ts'
import { kindOf } from '../../util/mime.ts'
import type { AppEnv } from '../http/app-env.ts'
import { needScope } from '../auth/authenticate.ts'
import { refuseOthers } from '../http/other-methods.ts'
import { answerBytes } from './answer-bytes.ts'
import {
  archiveOf,
  publish,
  publishedFiles,
  publishedNames,
  type PublishedSkill,
} from './publish.ts'
import type { ServerContext } from '../server-context.ts'

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'
/** The path that tools look at now, and the one that older ones look at. */
const CURRENT = '/.well-known/agent-skills'
const OLDER = '/.well-known/skills'
/** How long an index is good: making one reads every skill. */
const FRESH_MS = 3000

/** The skills as tools of other people find, check and fetch them. */
export function wellKnownRoutes(app: Hono<AppEnv>, services: ServerContext): void {
  const { repository } = services.runtime
  const index = freshIndex(repository)
  const read = async (c: Context<AppEnv>, make: () => Promise<object>) => {
    needScope(c.get('caller'), 'read')
    const text = `${JSON.stringify(await make(), null, 2)}\n`
    return answerBytes(c, Buffer.from(text), 'application/json')
  }
  app.get(`${CURRENT}/index.json`, async (c) => await read(c, async () => current(await index())))
  app.get(`${OLDER}/index.json`, async (c) => await read(c, async () => older(await index())))
  for (const base of [CURRENT, OLDER]) {
    app.get(`${base}/:path{.+}`, async (c) => {
      needScope(c.get('caller'), 'read')
      return await sendPublished(c, repository, c.req.param('path'))
    })
    refuseOthers(app, services, { [`${base}/:path{.+}`]: ['GET', 'HEAD'] })
  }
}

/** An archive, `<name>.tar.gz`, or a file of a skill, `<name>/<path>`. */
async function sendPublished(
  c: Context<AppEnv>,
  repository: Repository,
  path: string,
): Promise<Response> {
  const archive = /^([a-z0-9-]+)\.tar\.gz$/.exec(path)?.[1]
  const [, folder = '', inner = ''] = /^([a-z0-9-]+)\/(.+)$/.exec(path) ?? []
  const name = archive ?? folder
  const entry = publishedNames(await repository.list()).get(name)
  const files = entry && (await publishedFiles(repository, name, entry))
  if (!files) throw missing(path)
  if (archive !== undefined) return answerBytes(c, await archiveOf(files), 'application/gzip')
  const file = files.find((each) => each.path === inner)
  if (!file) throw missing(path)
  return answerBytes(c, file.bytes, kindOf(inner, file.bytes))
}

function current(skills: readonly PublishedSkill[]): object {
  return {
    $schema: SCHEMA,
    skills: skills.map(({ name, type, description, digest }) => {
      const url = `${CURRENT}/${name}${type === 'archive' ? '.tar.gz' : '/SKILL.md'}`
      return { name, type, description, url, digest }
    }),
  }
}

function older(skills: readonly PublishedSkill[]): object {
  return {
    skills: skills.map(({ name, description, paths }) => ({ name, description, files: paths })),
  }
}

/** One index for all who ask at about the same time. */
function freshIndex(repository: Repository): () => Promise<readonly PublishedSkill[]> {
  let known: Promise<readonly PublishedSkill[]> | undefined
  let madeAt = -Infinity
  return async () => {
    if (!known || performance.now() - madeAt > FRESH_MS) {
      known = makeIndex(repository)
      known.then(
        () => (madeAt = performance.now()),
        () => (known = undefined),
      )
      madeAt = Infinity
    }
    return await known
  }
}

async function makeIndex(repository: Repository): Promise<readonly PublishedSkill[]> {
  const published: PublishedSkill[] = []
  for (const [name, entry] of publishedNames(await repository.list())) {
    const skill = await publish(repository, name, entry)
    if (skill) published.push(skill)
  }
  return published.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function missing(what: string): SkillsError {
  return new SkillsError('http/not-found', `There is no published "${what.slice(0, 200)}"`)
}
