import { openSessionStore } from '../../../src/core/skill-context/session-store.ts'
import { createMemorySessionStore } from '../../helpers/memory/session-store.ts'
import { createFolder } from '../../helpers/skills.ts'
import { describeSessionStore } from './session-store-suite.ts'

describeSessionStore('files', (limits) => openSessionStore(createFolder(), limits))
describeSessionStore('memory', createMemorySessionStore)
