import { isText } from '../../../util/mime.ts'
import type { Services } from '../../services.ts'
import type { ReadSkillFileParams, ReadSkillFileResult } from './definition.ts'

/** `read_skill_file`: returns text unchanged, other bytes as base64. */
export async function readSkillFile(
  { repository }: Pick<Services, 'repository'>,
  params: ReadSkillFileParams,
): Promise<ReadSkillFileResult> {
  const entry = await repository.resolve(params.name, params.version)
  const { bytes, kind } = await repository.read(entry, params.path)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isText(bytes)) return { content: buffer.toString('utf8'), kind, size_bytes: bytes.length }
  return { content: buffer.toString('base64'), encoding: 'base64', kind, size_bytes: bytes.length }
}
