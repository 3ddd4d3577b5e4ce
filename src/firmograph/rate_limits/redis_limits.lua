-- Counters of one account in Redis, changed atomically for all servers. `redis_counters.py` puts constants and the rules
-- before this text: the methods of `AccountCounters` (`windows.py`) as functions.
--
-- KEYS[1]  state of the account, as doubles: the latest time seen; the cells, which are start and count of each window;
--          then the times of the latest requests, oldest first. A change of this layout needs a new number in
--          redis_counters.py.
-- ARGV[1]  1 to count a request, 0 to read only
-- ARGV[2]  the server's clock, in seconds
-- ARGV[3]  the name of the path's window, or empty
-- ARGV[4]  limits of path, second, minute, hour and day, up to ARGV[8]; empty is unlimited
-- ARGV[9]  counts to restore, as MessagePack, or empty: saved counts (`held`), counts to add (`added`), both
--          {window, start, count}, and the request times of the added counts (`times`)
--
-- Returns minute, hour, day, time, and for a full window its name, limit and seconds to wait. Returns nothing if the
-- account is unknown and ARGV[9] is empty: Redis has lost its data, and the caller must send the saved counts.

local restored = ARGV[9] ~= ''
local state = redis.call('GET', KEYS[1])
if not state and not restored then
    return false
end

local function read(latest, first, ...)
    local cells = {...}
    cells[0] = first
    return latest, cells
end
local before, cells = read(struct.unpack(FORMAT, state or string.rep('\0', 8 * (1 + CELLS))))

local times = {
    latest = before,
    packed = state and string.sub(state, 8 * (1 + CELLS) + 1) or '',
    nth = function(self, number)
        local at = #self.packed - 8 * number + 1
        return at > 0 and struct.unpack('<d', self.packed, at) or 0
    end,
    add = function(self, at)
        self.packed = self.packed .. struct.pack('<d', at)
    end,
    clear = function(self)
        self.latest, self.packed = 0, ''
    end,
}
local counters = {cells = cells, times = times}

if restored then
    local counts = cmsgpack.unpack(ARGV[9])
    for _, row in ipairs(counts.held) do
        raise_to(counters, row[1], row[2], row[3])
    end
    for _, row in ipairs(counts.added) do
        raise_to(counters, row[1], row[2], 0)
        local at = _OFFSETS[row[1]]
        if cells[at] == row[2] then
            cells[at + 1] = cells[at + 1] + row[3]
        end
    end
    local all = counts.times
    for place = 1, #times.packed, 8 do
        all[#all + 1] = struct.unpack('<d', times.packed, place)
    end
    table.sort(all)
    for place, time in ipairs(all) do
        times.latest = math.max(times.latest, time)
        all[place] = struct.pack('<d', time)
    end
    times.packed = table.concat(all)
end

local now = roll(counters, tonumber(ARGV[2]))
local full, counted
if ARGV[1] == '1' then
    local path = ARGV[3] ~= '' and ARGV[3] or nil
    local limits = {second = tonumber(ARGV[5]), minute = tonumber(ARGV[6]), hour = tonumber(ARGV[7]), day = tonumber(ARGV[8])}
    full = hit(counters, limits, path, tonumber(ARGV[4]), now)
    if not full then
        counted = true
        add(counters, limits, path, now)
        if limits.second then
            times.packed = string.sub(times.packed, -8 * limits.second)
        end
    end
end
if restored or counted or now ~= before then
    local changed = struct.pack(FORMAT, times.latest, cells[0], unpack(cells, 1, CELLS - 1)) .. times.packed
    redis.call('SET', KEYS[1], changed, 'EX', EXPIRY)
end

local answer = used(counters, now)
answer[4] = string.format('%.17g', answer[4])
if full then
    answer[5], answer[6], answer[7] = full[1], full[2], string.format('%.17g', full[3])
end
return answer
