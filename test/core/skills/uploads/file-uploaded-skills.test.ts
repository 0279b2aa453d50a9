import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openUploadedSkills } from '../../../../src/core/skills/uploads/file-uploaded-skills.ts'
import { getUploadsRoot } from '../../../../src/core/skills/uploads/uploads-root.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { describeUploads } from './uploads-suite.ts'

describeUploads('files', (limits) => {
  const dataDir = createFolder()
  const remove = async (name: string, version: string) =>
    rmSync(join(getUploadsRoot(dataDir), name, version), { recursive: true })
  return { uploads: openUploadedSkills(dataDir, limits), dataDir, remove }
})
