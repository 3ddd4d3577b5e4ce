-- Counters of one account in Redis, changed atomically for all servers. The rules are those of `AccountCounters`
-- (`windows.py`), whose comments say why; tests/rate_limits/test_equal_counters.py holds both equal. `redis_counters.py`
-- puts this text behind a line with CELLS, the number of cells, and WINDOWS, the number of each window's first cell.
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

local MINUTE, HOUR, DAY = 60, 3600, 86400
local LENGTHS = {minute = MINUTE, hour = HOUR, day = DAY}
local FORMAT = '<d' .. string.rep('d', CELLS)

local restored = ARGV[9] ~= ''
local state = redis.call('GET', KEYS[1])
if not state and not restored then
    return false
end

local cells = {struct.unpack(FORMAT, state or string.rep('\0', 8 * (1 + CELLS)))}
local latest = table.remove(cells, 1)
local before = latest
local times = state and string.sub(state, 8 * (1 + CELLS) + 1) or ''

local function begin(cell, start)
    cells[cell], cells[cell + 1] = start, 0
end

local function begin_later(cell, length)
    local start = latest - math.fmod(latest, length)
    if cells[cell] ~= start then
        begin(cell, start)
    end
end

local function raise_to(window, start, count)
    local cell = WINDOWS[window]
    if start > cells[cell] then
        begin(cell, start)
    end
    if start == cells[cell] then
        cells[cell + 1] = math.max(cells[cell + 1], count)
        latest = math.max(latest, start)
    end
end

local function add_times(added)
    for place = 1, #times, 8 do
        added[#added + 1] = struct.unpack('<d', times, place)
    end
    table.sort(added)
    for place, time in ipairs(added) do
        latest = math.max(latest, time)
        added[place] = struct.pack('<d', time)
    end
    times = table.concat(added)
end

local function restore(counts)
    for _, row in ipairs(counts.held) do
        raise_to(row[1], row[2], row[3])
    end
    for _, row in ipairs(counts.added) do
        local window, start, count = row[1], row[2], row[3]
        raise_to(window, start, 0)
        local cell = WINDOWS[window]
        if cells[cell] == start then
            cells[cell + 1] = cells[cell + 1] + count
        end
    end
    add_times(counts.times)
end

local function roll(clock)
    if clock >= latest then
        latest = clock
    elseif latest - clock > DAY then
        latest, times = clock, ''
        for cell = 1, CELLS, 2 do
            begin(cell, 0)
        end
    end
    for window, length in pairs(LENGTHS) do
        begin_later(WINDOWS[window], length)
    end
end

local function full_window(path, path_limit, limits)
    if limits.second then
        local at = #times - 8 * limits.second + 1
        local wait = (at > 0 and struct.unpack('<d', times, at) or 0) + 1 - latest
        if wait > 0 then
            return 'second', limits.second, wait
        end
    end
    if path then
        local cell = WINDOWS[path]
        begin_later(cell, MINUTE)
        if cells[cell + 1] >= path_limit then
            return path, path_limit, cells[cell] + MINUTE - latest
        end
    end
    for _, window in ipairs({'minute', 'hour', 'day'}) do
        local cell, limit = WINDOWS[window], limits[window]
        if limit and cells[cell + 1] >= limit then
            return window, limit, cells[cell] + LENGTHS[window] - latest
        end
    end
end

local function count(path, limits)
    if limits.second then
        times = string.sub(times .. struct.pack('<d', latest), -8 * limits.second)
    end
    for _, window in ipairs({'minute', 'hour', 'day', path}) do
        local cell = WINDOWS[window] + 1
        cells[cell] = cells[cell] + 1
    end
end

if restored then
    restore(cmsgpack.unpack(ARGV[9]))
end
roll(tonumber(ARGV[2]))

local counted, window, limit, wait
if ARGV[1] == '1' then
    local path = ARGV[3] ~= '' and ARGV[3] or nil
    local limits = {
        second = tonumber(ARGV[5]), minute = tonumber(ARGV[6]), hour = tonumber(ARGV[7]), day = tonumber(ARGV[8]),
    }
    window, limit, wait = full_window(path, tonumber(ARGV[4]), limits)
    if not window then
        counted = true
        count(path, limits)
    end
end

if restored or counted or latest ~= before then
    local changed = struct.pack(FORMAT, latest, unpack(cells, 1, CELLS)) .. times
    redis.call('SET', KEYS[1], changed, 'EX', 2 * DAY)
end

local answer = {cells[WINDOWS.minute + 1], cells[WINDOWS.hour + 1], cells[WINDOWS.day + 1], string.format('%.17g', latest)}
if window then
    answer[5], answer[6], answer[7] = window, limit, string.format('%.17g', wait)
end
return answer
