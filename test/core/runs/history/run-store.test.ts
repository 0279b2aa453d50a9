import { openRunStore } from '../../../../src/core/runs/history/file-run-store.ts'
import { createMemoryRunStore } from '../../../helpers/memory/run-store.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { describeRunStore } from './run-store-suite.ts'

describeRunStore('files', async (limits) =>
  openRunStore(createFolder(), { quotaBytes: 1e9, ...limits }),
)
describeRunStore('memory', async (limits) => createMemoryRunStore(limits))
