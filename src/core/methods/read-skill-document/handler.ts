import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { parseDocument } from '../parse-document.ts'
import type { ReadSkillDocumentParams, ReadSkillDocumentResult } from './definition.ts'

/** `read_skill_document`: parses a document of a skill. */
export async function readSkillDocument(
  services: Pick<Services, 'repository' | 'offloader'>,
  { name, version, path = 'SKILL.md' }: ReadSkillDocumentParams,
  call: Pick<RunCall, 'signal' | 'caller'>,
): Promise<ReadSkillDocumentResult> {
  const { repository } = services
  const entry = await repository.resolve(name, version)
  const { bytes } = await repository.read(entry, path)
  const hint = 'Read it as a file with read_skill_file'
  const tree = await parseDocument(services, { name: path, bytes, hint }, call)
  return { path, size_bytes: bytes.length, tree }
}
