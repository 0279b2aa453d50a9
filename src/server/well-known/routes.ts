import type { Context, Hono } from 'hono'
import type { Repository } from '../../core/skills/repository/repository.ts'
import { SkillsError } from '../../errors.ts'
import { detectMimeType } from '../../util/mime.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireScope } from '../auth/authenticate.ts'
import { rejectOtherMethods } from '../http/other-methods.ts'
import { answerBytes, digestBytes } from './answer-bytes.ts'
import { createArchive, readPublishedFiles } from './publish.ts'
import {
  createPublishedIndex,
  CURRENT_PATH,
  LEGACY_PATH,
  type PublishedIndex,
} from './published-index.ts'
import type { ServerContext } from '../server-context.ts'

/** Publishes the skills for discovery, verification and download by other tools. */
export function addWellKnownRoutes(app: Hono<AppEnv>, context: ServerContext): void {
  const { repository } = context.runtime
  const index = createPublishedIndex(context.runtime)
  const sendIndex = (path: string, form: 'current' | 'legacy') =>
    app.get(`${path}/index.json`, async (c) => {
      requireScope(c.get('caller'), 'read')
      return answerBytes(c, (await index.read())[form], 'application/json')
    })
  sendIndex(CURRENT_PATH, 'current')
  sendIndex(LEGACY_PATH, 'legacy')
  for (const base of [CURRENT_PATH, LEGACY_PATH]) {
    app.get(`${base}/:path{.+}`, async (c) => {
      requireScope(c.get('caller'), 'read')
      return await sendPublished(c, { repository, index }, c.req.param('path'))
    })
    rejectOtherMethods(app, context, { [`${base}/:path{.+}`]: ['GET', 'HEAD'] })
  }
}

/** Sends an archive, `<name>.tar.gz`, or a file of a skill, `<name>/<path>`. */
async function sendPublished(
  c: Context<AppEnv>,
  { repository, index }: { repository: Repository; index: PublishedIndex },
  path: string,
): Promise<Response> {
  const archive = /^([a-z0-9-]+)\.tar\.gz$/.exec(path)?.[1]
  const [, folder = '', inner = ''] = /^([a-z0-9-]+)\/(.+)$/.exec(path) ?? []
  const name = archive ?? folder
  const entry = await index.find(name)
  const files = entry && (await readPublishedFiles(repository, name, entry))
  if (!files) throw notPublishedError(path)
  if (archive !== undefined) {
    return answerBytes(c, digestBytes(await createArchive(files)), 'application/gzip')
  }
  const file = files.find((each) => each.path === inner)
  if (!file) throw notPublishedError(path)
  return answerBytes(c, digestBytes(file.bytes), detectMimeType(inner, file.bytes))
}

function notPublishedError(path: string): SkillsError {
  return new SkillsError('http/not-found', `There is no published file "${path.slice(0, 200)}"`)
}
