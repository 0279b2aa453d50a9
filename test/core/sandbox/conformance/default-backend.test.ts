import { CONFORMANCE_ROWS, testConformance } from './test-conformance.ts'

await testConformance(CONFORMANCE_ROWS.filter(({ title }) => title === 'namespaces, by forks'))
