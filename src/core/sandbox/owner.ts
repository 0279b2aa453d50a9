export { isLeftBehind, createSharedMark as ownerMark } from '../../util/owner.ts'
