import { openGrants } from '../../../../src/core/skills/uploads/file-grants.ts'
import { createMemoryGrants } from '../../../helpers/memory/grants.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { describeGrants } from './grants-suite.ts'

describeGrants('files', () => openGrants(createFolder()))
describeGrants('memory', createMemoryGrants)
