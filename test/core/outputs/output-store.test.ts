import { openOutputStore } from '../../../src/core/outputs/store/file-output-store.ts'
import { createMemoryOutputStore } from '../../helpers/memory/output-store.ts'
import { createFolder } from '../../helpers/skills.ts'
import { testOutputStore } from './output-store-suite.ts'

testOutputStore('files', (limits) => openOutputStore(createFolder(), limits))
testOutputStore('memory', createMemoryOutputStore)
