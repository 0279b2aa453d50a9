import { openBlobStore } from '../../../src/core/storage/file-blob-store.ts'
import { createMemoryBlobStore } from '../../helpers/memory/blob-store.ts'
import { createFolder } from '../../helpers/skills.ts'
import { testBlobStore } from './blob-store-suite.ts'

testBlobStore('files', (limits) => openBlobStore(createFolder(), limits))
testBlobStore('memory', createMemoryBlobStore)
